import { type Field, integer, type Surroundings, text } from "../field/index.js";

const who = ({ client }: Surroundings): string => `${client.username}@${client.address} (API)`;

/** Who made a rule and who changed it last, and when. */
export const stamps: readonly Field[] = [
  integer("created_time", { automatic: { renewed: false, value: ({ seconds }) => seconds } }),
  text("created_by", { automatic: { renewed: false, value: who } }),
  integer("updated_time", { automatic: { renewed: true, value: ({ seconds }) => seconds } }),
  text("updated_by", { automatic: { renewed: true, value: who } }),
];
