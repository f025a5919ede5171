/** A reply's headers as they came: lower-case names, and a list where a name came more than once. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One header as text. A list is joined, as HTTP allows. */
export function headerText(headers: ReplyHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value.join(", ") : value;
}

/** The same headers as `Headers`. */
export function toHeaders(received: ReplyHeaders): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(received)) {
    for (const one of typeof value === "string" ? [value] : value) headers.append(name, one);
  }
  return headers;
}
