/** Something in a listing that the model has no word for. It ends the parse of its rule alone. */
export class Foreign extends Error {
  override readonly name = "Foreign";
}

export const foreign = (what: string): never => {
  throw new Foreign(what);
};
