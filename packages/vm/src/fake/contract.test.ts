import { describeVmmContract } from "../testing/contract.js";
import { createFakeAdapter } from "./index.js";

describeVmmContract("the fake", () => createFakeAdapter());
