/** What is to be sealed, after its arguments were checked. */
export type SourceRequest =
  | { readonly kind: "directory"; readonly path: string; readonly ref: string }
  | { readonly kind: "bundle"; readonly path: string; readonly ref: string }
  | { readonly kind: "remote"; readonly url: string; readonly ref: string }
  | { readonly kind: "working-tree"; readonly path: string };
