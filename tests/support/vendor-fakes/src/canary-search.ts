const bytesBefore = [0, 1, 2];

/** A search for secrets in text, also URL-encoded, JSON-escaped or in base64. */
export class CanarySearch {
  readonly #forms: { canary: string; base64: string[] }[];

  constructor(canaries: readonly string[]) {
    this.#forms = canaries.map((canary) => ({ canary, base64: bytesBefore.map((count) => base64Core(canary, count)) }));
  }

  /** Returns the canaries in a text, each with the form in which it was found. */
  in(text: string): { canary: string; form: string }[] {
    const texts = { plain: text, "URL-encoded": unescapePercent(text), "JSON-escaped": unescapeJson(text) };
    const letters = text.replaceAll("-", "+").replaceAll("_", "/");
    return this.#forms.flatMap(({ canary, base64 }) => {
      const form = Object.entries(texts).find(([, one]) => one.includes(canary))?.[0];
      if (form !== undefined) return [{ canary, form }];
      return base64.some((core) => letters.includes(core)) ? [{ canary, form: "base64" }] : [];
    });
  }
}

/**
 * Returns the part of the base64 that does not depend on the surrounding bytes, with `count` bytes before the canary.
 */
function base64Core(canary: string, count: number): string {
  const bytes = Buffer.concat([Buffer.alloc(count), Buffer.from(canary)]);
  return bytes.toString("base64").slice(Math.ceil((count * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

function unescapePercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString());
}

function unescapeJson(text: string): string {
  return text.replace(/\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/g, (escape) => String(JSON.parse(`"${escape}"`)));
}
