import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { ConnectionPool } from "./connection-pool.ts";

/** A client of undici, as far as the pool knows it, whose requests end when the test says so. */
class SlowClient extends EventEmitter {
  readonly stats = { size: 0 };
  readonly sent: string[] = [];
  destroyed = 0;
  mayTakeMore = false;
  isRefusing = false;

  dispatch({ path }: { path: string }): boolean {
    this.sent.push(path);
    if (!this.isRefusing) this.stats.size += 1;
    return this.mayTakeMore;
  }

  /** The answer is whole: the connection is free. */
  answer(): void {
    this.stats.size -= 1;
    this.emit("drain");
  }

  async destroy(): Promise<void> {
    this.destroyed += 1;
  }
}

function start() {
  const clients: SlowClient[] = [];
  const opened: string[] = [];
  const pool = new ConnectionPool((origin) => {
    opened.push(origin.href);
    clients.push(new SlowClient());
    return clients.at(-1) as never;
  });
  const send = (path: string, origin = "http://one") => pool.dispatch({ origin, path, method: "GET" }, {});
  const sent = () => clients.map((client) => client.sent.join(" "));
  return { pool, clients, opened, send, sent };
}

const turn = async (): Promise<void> => await new Promise(setImmediate);

describe("the connections of a pool", () => {
  it("are used again for their own origin alone, the one that was used last first", () => {
    const { pool, clients, opened, send, sent } = start();
    for (const path of ["a", "b", "c"]) send(path);
    send("d", "http://two");
    expect(opened).toEqual(["http://one/", "http://one/", "http://one/", "http://two/"]);
    for (const index of [0, 2, 1]) clients[index]?.answer();
    for (const path of ["e", "f"]) send(path);
    expect(sent()).toEqual(["a", "b e", "c f", "d"]);
    expect(pool.size).toBe(4);
  });

  it("take one request at a time, also when one says twice that it is free", () => {
    const { clients, send, sent } = start();
    send("a");
    clients[0]?.answer();
    clients[0]?.emit("drain");
    for (const path of ["b", "c"]) send(path);
    expect(sent()).toEqual(["a b", "c"]);
  });

  it.each(["mayTakeMore", "isRefusing"] as const)("are free at once where one %s", (what) => {
    const { clients, send, sent } = start();
    send("a");
    clients[0]?.answer();
    Object.assign(clients[0] ?? {}, { [what]: true });
    for (const path of ["b", "c"]) send(path);
    expect(sent()).toEqual(["a b c"]);
  });

  it.each(["disconnect", "connectionError"])("are forgotten after %s, idle or in use", async (event) => {
    const { pool, clients, send, sent } = start();
    for (const path of ["a", "b", "c"]) send(path);
    clients[0]?.answer();
    clients[1]?.answer();
    clients[0]?.emit(event);
    Object.assign(clients[2]?.stats ?? {}, { size: 0 });
    clients[2]?.emit(event);
    await turn();
    expect(pool.size).toBe(1);
    for (const path of ["d", "e"]) send(path);
    expect(sent()).toEqual(["a", "b d", "c", "e"]);
    clients[2]?.emit("drain");
    send("f");
    expect(sent()).toEqual(["a", "b d", "c", "e", "f"]);
  });

  it("stay while one still has a request, for which it connects again", async () => {
    const { pool, clients, send } = start();
    send("a");
    clients[0]?.emit("disconnect");
    await turn();
    expect(pool.size).toBe(1);
  });

  it("are opened anew for an origin whose connections are all forgotten", async () => {
    const { pool, clients, opened, send } = start();
    send("a");
    clients[0]?.answer();
    clients[0]?.emit("disconnect");
    clients[0]?.emit("disconnect");
    await turn();
    expect(pool.size).toBe(0);
    send("b");
    expect([pool.size, opened]).toEqual([1, ["http://one/", "http://one/"]]);
  });

  it("are each destroyed once with the pool, and what they say afterwards frees none", async () => {
    const { pool, clients, send, sent } = start();
    for (const path of ["a", "b"]) send(path);
    clients[0]?.answer();
    await pool.destroy();
    await pool.destroy();
    expect(clients.map(({ destroyed }) => destroyed)).toEqual([1, 1]);
    expect(pool.size).toBe(0);
    clients[1]?.answer();
    send("c");
    expect(sent()).toEqual(["a", "b", "c"]);
  });
});
