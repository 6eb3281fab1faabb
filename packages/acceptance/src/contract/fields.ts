import { shape } from "@drydock/evidence";

const { integer, pattern } = shape;

const IDENTIFIER = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;
const HEX_DIGEST = /^[0-9a-f]{64}$/;

/** 2^31 − 1: what an array of an appliance's configuration has no more places than. */
const MAX_LOCATOR = 2 ** 31 - 1;

export const identifier = pattern(IDENTIFIER, "an identifier");
export const hexDigest = pattern(HEX_DIGEST, "64 lower-case hexadecimal digits");
export const locator = integer(0, MAX_LOCATOR);
export const millis = integer(0);
