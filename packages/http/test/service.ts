/** An answer, read to its end. */
export type Answer = { status: number; headers: Headers; text: string; json: unknown };

/** A service under test, asked as most clients ask. */
export class Service {
  readonly port: number;
  /** What it has logged. */
  readonly lines: string[] = [];
  readonly #url: string;

  constructor(port: number, mountedAt: string) {
    this.port = port;
    this.#url = `http://127.0.0.1:${port}${mountedAt === "/" ? "" : mountedAt}`;
  }

  async ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(this.#url + path, init);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true && text !== "";
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  }

  /** Posts JSON; a text is sent as it stands. */
  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return await this.ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }
}
