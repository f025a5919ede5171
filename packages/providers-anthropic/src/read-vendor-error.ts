/**
 * Reads a response with an error status into the `APIError` of `@anthropic-ai/sdk`, which `toModelError` converts. An
 * unreadable body is no failure: the status is enough.
 */
export async function readVendorError(reply: Response): Promise<Error> {
  const { APIError } = await import("@anthropic-ai/sdk");
  // Without a readable body, the status is enough.
  const text = await reply.text().catch(() => "");
  const told = parse(text);
  return APIError.generate(reply.status, told, told === undefined ? text : undefined, reply.headers);
}

function parse(text: string): object | undefined {
  try {
    const told: unknown = JSON.parse(text);
    return typeof told === "object" && told !== null ? told : undefined;
  } catch {
    return undefined;
  }
}
