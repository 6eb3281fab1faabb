/** pfSense's own limit of an alias name. */
export const MAX_NAME_LENGTH = 31;

/** Code points in NFC: what pfSense-pkg-RESTAPI was seen to accept; one more was refused. */
export const MAX_DESCRIPTION_LENGTH = 1_024;

/**
 * Rows that are asked for. A list that is as long may have been cut, so that another alias of the
 * name could be behind its end: it counts as incomplete.
 */
export const ROW_LIMIT = 500;

/** What a contract's canonical form holds of one list. */
export const MAX_MEMBERS = 4_096;

/** A contract's locators are signed 32-bit integers that aren't negative. */
export const MAX_LOCATOR = 2 ** 31 - 1;
