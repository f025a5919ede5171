import { describe, expect, it, vi } from "vitest";
import { echo, readText, stall, startPooled } from "../../../test/pooled.ts";

const reason = new Error("enough");
const hang = () => {};

describe("a request of a pool that is aborted", () => {
  it("sends nothing when the signal has aborted before", async () => {
    const { send, url, server } = await startPooled(echo);

    await expect(send(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.connections()).toBe(0);
  });

  it("rejects like the global fetch when the signal has no reason", async () => {
    const { send, url } = await startPooled(hang);
    const controller = new AbortController();
    const response = send(url, { signal: controller.signal });
    controller.abort();

    await expect(response).rejects.toMatchObject({ name: "AbortError" });
  });

  it("ends before the head of the reply, and closes the connection", async () => {
    const { send, url, server } = await startPooled(hang);
    const controller = new AbortController();
    const response = send(url, { signal: controller.signal });
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));

    controller.abort(reason);

    await expect(response).rejects.toBe(reason);
    await vi.waitFor(() => expect(server.open()).toBe(0));
  });

  it("ends while connections are opened, and sends nothing over them", async () => {
    const { send, url, server } = await startPooled(echo);
    await readText(send(`${url}/before`));
    const controller = new AbortController();
    const responses = Array.from({ length: 5 }, () => send(`${url}/aborted`, { signal: controller.signal }));
    const outcomes = Promise.allSettled(responses);
    // By then all five are on their way to a connection, and none has got one.
    await new Promise((resolve) => process.nextTick(resolve));

    controller.abort(reason);

    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason });
    await readText(send(`${url}/after`));
    expect(server.requests).toEqual(["GET /before", "GET /after"]);
  });

  it("ends within the body, and closes the connection", async () => {
    const { send, url, server } = await startPooled(stall);
    const controller = new AbortController();
    const response = await send(url, { signal: controller.signal });
    const reader = response.bytes;
    await reader.next();
    const waiting = reader.next();

    controller.abort(reason);

    await expect(waiting).rejects.toBe(reason);
    await expect(reader.next()).rejects.toBe(reason);
    await vi.waitFor(() => expect(server.open()).toBe(0));
  });

  it("returns nothing more of a reply that has fully arrived", async () => {
    const { send, url } = await startPooled((_, response) => response.end("whole"));
    const controller = new AbortController();
    const response = await send(url, { signal: controller.signal });
    await readText(send(url));

    controller.abort(reason);

    await expect(response.text()).rejects.toBe(reason);
  });

  it("leaves no listener on the signal of a finished request", async () => {
    const { send, url } = await startPooled((request, response) => {
      if (request.url === "/broken") request.socket.destroy();
      else response.end("ok");
    });
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");

    await readText(send(url, { signal }));
    await expect(send(`${url}/broken`, { signal })).rejects.toThrow(/connection/);

    expect(added).toHaveBeenCalledTimes(2);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });
});
