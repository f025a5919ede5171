/** A client over long polling that polls only when it is told to, as no library does. */
export class PollingClient {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  /** Opens a session, and joins the gateway's namespace. */
  static async join(url: string): Promise<PollingClient> {
    const opened = new PollingClient(`${url}/socket.io/?EIO=4&transport=polling`);
    const { sid } = JSON.parse((await opened.poll()).slice(1)) as { sid: string };
    const client = new PollingClient(`${opened.#url}&sid=${sid}`);
    await client.send("40/service,");
    while (!(await client.poll()).includes("40/service,"));
    return client;
  }

  /** Returns the packets that wait for the client, as they are sent. Waits until there is one. */
  async poll(): Promise<string> {
    return await (await fetch(this.#url)).text();
  }

  async send(packets: string): Promise<void> {
    await (await fetch(this.#url, { method: "POST", body: packets })).text();
  }
}
