import { join } from "node:path";
import { missingTools, TOOL_DIRECTORIES } from "@drydock/boundary";
import { haltStatus } from "@drydock/ledger";
import { haltPlaces } from "@drydock/trial";
import { doctorProbes, ensureNative, openStore, systemTools } from "@drydock/vm";
import { locateProgram } from "../program.js";
import { chooseStyle } from "../terminal/style.js";
import { directories, haltCheck, type JsonFlag, print } from "./context.js";

/** `drydock doctor`: what this machine can prove and what not, with the fix for each line. */
export const doctorCommand = async (flags: JsonFlag): Promise<number> => {
  const { cache } = directories();
  const root = process.getuid?.() === 0;
  // Without root nothing of it can be used, and the probes say so themselves.
  const native = root ? await compileNative(cache) : null;
  const probes = [
    ...doctorProbes({ native, directory: root ? cache : "/tmp" }),
    boundaryProbe(),
    haltProbe(),
  ];
  const style = chooseStyle(process.stdout.isTTY === true, process.env);
  const mark = (ok: boolean, required: boolean): string =>
    ok ? style.good("ok  ") : required ? style.bad("FAIL") : style.warn("warn");
  print(
    flags,
    { checks: probes },
    probes
      .map(
        ({ id, ok, detail, fix, required }) =>
          `${mark(ok, required)} ${id.padEnd(22)} ${detail}${ok || fix === null ? "" : `\n     ${style.dim("fix:")} ${fix}`}\n`,
      )
      .join(""),
  );
  return probes.every(({ ok, required }) => ok || !required) ? 0 : 6;
};

const compileNative = async (cache: string): Promise<string | null> => {
  try {
    const store = openStore(join(cache, "images"));
    return await ensureNative(store, systemTools(), locateProgram().nativeSource);
  } catch {
    // The probe of the compiler names what is missing.
    return null;
  }
};

/** A run does without them; whether the kernel has what rules need, `boundary apply` tries. */
const boundaryProbe = () => {
  const missing = missingTools(TOOL_DIRECTORIES);
  const packages = [...new Set(missing.map((one) => one.package))].join(" ");
  const ok = missing.length === 0;
  return {
    id: "boundary-tools",
    ok,
    detail: ok
      ? "all that boundary and lab call are there"
      : `boundary and lab call what isn't there: ${missing.map(({ tool }) => tool).join(", ")}`,
    fix: ok ? null : `sudo apt-get install --no-install-recommends ${packages}`,
    required: false,
  };
};

const haltProbe = () => {
  const { halted } = haltStatus(haltPlaces(directories()), haltCheck());
  return {
    id: "halt",
    ok: !halted,
    detail: halted ? "a halt is on: nothing dynamic runs" : "no halt",
    fix: halted ? "See `drydock halt status`." : null,
    required: true,
  };
};
