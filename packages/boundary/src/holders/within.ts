/** Whether a path is a directory, or in it. Both absolute, in their one spelling. */
export const isWithin = (path: string, directory: string): boolean =>
  directory === "/" || path === directory || path.startsWith(`${directory}/`);
