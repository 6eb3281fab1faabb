import { describeVmmContract } from "../testing/contract.js";
import { createQemuAdapter } from "./index.js";

describeVmmContract("QEMU", (lab) => createQemuAdapter(lab.options));
