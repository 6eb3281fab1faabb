import type { TestNetwork } from "../../ruleset/testing/network.js";

/** A connection that was opened some time ago, as the kernel remembers it. */
export const rememberConnection = (network: TestNetwork): void => {
  network.run("conntrack", [
    ...["-I", "-p", "tcp", "-s", "10.60.1.10", "-d", "10.60.1.11", "--sport", "40000"],
    ...["--dport", "22", "--timeout", "300", "--state", "ESTABLISHED"],
  ]);
};

export const countConnections = (network: TestNetwork): number =>
  network.run("conntrack", ["-L"]).split("\n").filter(Boolean).length;
