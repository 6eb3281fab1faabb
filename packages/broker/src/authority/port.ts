const CANONICAL_DECIMAL = /^[1-9][0-9]{0,4}$/;

/**
 * A port in its one spelling, or null. Guard: a leading zero or sign, a service name, another base
 * or other digits would each be read as some number by one parser and as none by the next.
 */
export const readPort = (text: string): number | null => {
  if (!CANONICAL_DECIMAL.test(text)) {
    return null;
  }
  const port = Number(text);
  return port <= 65_535 ? port : null;
};
