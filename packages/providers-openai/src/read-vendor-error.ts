/** Reads a response with an error status into the `APIError` of the package `openai`, which `toModelError` converts. */
export async function readVendorError(reply: Response): Promise<Error> {
  const { APIError } = await import("openai");
  // Without a readable body, the status is enough.
  const text = await reply.text().catch(() => "");
  const told = parse(text);
  return APIError.generate(reply.status, told, told === undefined ? text : undefined, reply.headers);
}

/** Parses the body, with the error where the library looks for it: other servers put it at the top. */
function parse(text: string): object | undefined {
  try {
    const told = JSON.parse(text) as { error?: unknown } | null;
    if (typeof told !== "object" || told === null) return undefined;
    return (told.error ?? null) === null ? { error: told } : told;
  } catch {
    return undefined;
  }
}
