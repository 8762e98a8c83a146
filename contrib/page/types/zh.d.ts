// The module that the server makes of the Chinese texts that are seen at first.

/** Chinese texts by English texts. */
export const ZH: Readonly<Record<string, string>>;
