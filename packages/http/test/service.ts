/** An answer with its whole body. */
export type Answer = { status: number; headers: Headers; text: string; json: unknown };

/** A client of a service under test. */
export class Service {
  readonly port: number;
  /** The lines that the service has logged. */
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

  /** Posts JSON. A string is sent as it is. */
  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return await this.ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }
}
