// The module that the server makes of the Chinese texts of what is loaded later.

/** Chinese texts by English texts. */
export const ZH: Readonly<Record<string, string>>;
