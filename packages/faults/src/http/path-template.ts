/** Stands for a path that nobody named: it may hold anything. */
export const UNLISTED = "{unlisted}";

/** `/a/{name}/b`: a segment in braces stands for any one segment. */
export const PATH_TEMPLATE = /^(?:\/(?:[A-Za-z0-9._~-]+|\{[a-z][a-z0-9_]{0,30}\}))+$/;

/**
 * Guard: the template of a request's path, for the log. Only what the proxy's owner wrote himself
 * is written down: neither what stands for a name in braces nor anything of the query.
 */
export const templateOf = (target: string, templates: readonly string[]): string => {
  const [path = ""] = target.split(/[?#]/, 1);
  const segments = path.split("/");
  return (
    templates.find((template) => {
      const parts = template.split("/");
      return (
        parts.length === segments.length &&
        parts.every((part, at) =>
          part.startsWith("{") ? segments[at] !== "" : part === segments[at],
        )
      );
    }) ?? UNLISTED
  );
};
