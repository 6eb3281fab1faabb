import { DrydockError, quote } from "@drydock/evidence";
import type { Configuration } from "./configuration.js";

/**
 * With the alias once more, at the end of its list, so that no other has another number: as in a
 * configuration file that was edited by hand, or put together from two. Neither the API nor the web
 * interface makes that.
 *
 * @throws DrydockError LAB_COMMAND
 */
export const withDuplicate = (configuration: Configuration, name: string): Configuration => {
  const alias = configuration.aliases.find((one) => one["name"] === name);
  if (alias === undefined)
    throw new DrydockError("LAB_COMMAND", `there is no alias ${quote(name)}`);
  return { ...configuration, aliases: [...configuration.aliases, alias] };
};
