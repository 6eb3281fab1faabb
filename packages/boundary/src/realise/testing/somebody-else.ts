import type { EngineLab } from "../../testing/engine-lab.js";

/** As nft lists it. */
export const SOMEBODY_ELSES_TABLE = "table inet somebody_elses";

/** A network and a table that are no boundary's. The network's id. */
export const addSomebodyElse = async (lab: EngineLab): Promise<string> => {
  await lab.run(["nft", `add ${SOMEBODY_ELSES_TABLE}`]);
  return await lab.backend.createNetwork({
    name: "somebody-elses",
    bridge: "br-foreign",
    subnet: "10.200.0.0/24",
    gateway: "10.200.0.1",
    internal: false,
    labels: {},
  });
};
