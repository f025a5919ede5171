/** Makes the library's error of a reply whose status is no success. */
export async function readFailure(reply: Response): Promise<Error> {
  const { APIError } = await import("openai");
  // A text that breaks off says nothing that its status does not.
  const text = await reply.text().catch(() => "");
  const told = parse(text);
  return APIError.generate(reply.status, told, told === undefined ? text : undefined, reply.headers);
}

/** What the reply tells, where the library looks for it: servers that are not OpenAI put it at the top. */
function parse(text: string): object | undefined {
  try {
    const told = JSON.parse(text) as { error?: unknown } | null;
    if (typeof told !== "object" || told === null) return undefined;
    return (told.error ?? null) === null ? { error: told } : told;
  } catch {
    return undefined;
  }
}
