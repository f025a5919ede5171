import type { TestApi } from "./serve.ts";

/** Names for ids that differ each time, in the order in which they appear. */
class Names {
  readonly #known = new Map<string, string>();

  of(kind: string, id: string): string {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const name = `<${kind} ${this.#known.size + 1}>`;
    this.#known.set(id, name);
    return name;
  }
}

const shownHeaders = ["content-type", "cache-control", "x-run-id", "x-session-id", "x-should-retry", "connection"];

/** Writes exchanges with a server down, exactly as they are, but with names for the ids that differ each time. */
export class Transcript {
  readonly lines: string[] = [];
  readonly #api: TestApi;
  readonly #names = new Names();

  constructor(api: TestApi) {
    this.#api = api;
  }

  /** Begins a scene. */
  title(text: string): void {
    this.lines.push("", `# ${text}`);
  }

  /** Makes a request, writes it and its answer down, and returns the JSON of the answer. */
  async exchange(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = body === undefined ? await this.#api.ask(path, { method }) : await this.#api.post(path, body);
    const shown = shownHeaders.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [`${name}: ${value}`];
    });
    const sent = body === undefined ? "" : ` ${JSON.stringify(body)}`;
    const written = [`> ${method} ${path}${sent}`, `${answer.status} ${shown.join("; ")}`, answer.text.trimEnd()];
    this.lines.push(...written.map((line) => this.#name(line)));
    return answer.json;
  }

  #name(text: string): string {
    const decode = (given: string): string => Buffer.from(given, "base64url").toString();
    return text
      .replaceAll(/(?<="(?:created|completed)_at":)\d{10}(?!\d)/g, '"now"')
      .replaceAll(/(resp|call|mcpr)_([\w-]{40,})/g, (_, kind: string, id: string) => `${kind}_{${decode(id)}}`)
      .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, (id) => this.#names.of("id", id.replaceAll("-", "")))
      .replaceAll(/(?<=_)[\da-f]{32}/g, (id) => this.#names.of("id", id));
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- the answers of a foreign API, looked at by tests alone
type Body = any;
