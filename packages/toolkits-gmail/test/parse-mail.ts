/** A mail as another program reads it. */
export type ParsedMail = { headers: (readonly [name: string, value: string])[]; lines: string[]; body: string };

/** Parses a mail by the letter of RFC 5322: headers up to the first empty line, unfolded, and the body in base64. */
export function parseMail(raw: string): ParsedMail {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw.slice(0, end).split("\r\n");
  const headers = raw
    .slice(0, end)
    .replaceAll(/\r\n(?=[ \t])/g, "")
    .split("\r\n")
    .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const);
  return { headers, lines, body: Buffer.from(raw.slice(end + 4).replaceAll("\r\n", ""), "base64").toString() };
}

/** Returns the value of a header, with encoded words of UTF-8 in base64 decoded. */
export function textOf({ headers }: ParsedMail, name: string): string | undefined {
  const value = headers.find(([each]) => each === name)?.[1];
  return value?.replaceAll(/(?:=\?UTF-8\?B\?[\w+/]*=*\?= ?)+/g, decodeWords);
}

function decodeWords(words: string): string {
  const found = [...words.matchAll(/=\?UTF-8\?B\?([^?]*)\?=/g)];
  const rest = words.endsWith(" ") ? " " : "";
  return found.map(([, data = ""]) => Buffer.from(data, "base64").toString()).join("") + rest;
}
