/** What has to be so after every step of a simulation, and wasn't. */
export class Violation extends Error {
  override readonly name = "Violation";
}
