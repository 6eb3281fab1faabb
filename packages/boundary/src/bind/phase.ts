export interface BindOptions {
  /**
   * `containers`: everything is there, and a gap in what was observed refuses. `networks`: only the
   * networks are, as before anything is started; nothing has a port then, so nothing passes.
   */
  readonly phase?: "networks" | "containers";
}
