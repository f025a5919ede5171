/** Makes the library's error of a reply whose status is no success. */
export async function readFailure(reply: Response): Promise<Error> {
  const { APIError } = await import("@anthropic-ai/sdk");
  // A text that breaks off says nothing that its status does not.
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
