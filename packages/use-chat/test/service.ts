/** An answer with its whole body. */
export type Answer = { status: number; headers: Headers; text: string; json: unknown };

/** A client of a service under test. */
export class ServiceClient {
  readonly port: number;
  /** The lines that the service has logged. */
  readonly lines: string[] = [];

  constructor(port: number) {
    this.port = port;
  }

  async ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, init);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true && text !== "";
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return await this.ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  }
}
