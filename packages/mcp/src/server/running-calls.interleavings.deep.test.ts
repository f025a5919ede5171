import { getEventListeners } from "node:events";
import { checkInterleavings } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { RunningCalls } from "./running-calls.ts";

type Call = { readonly name: string | undefined; readonly client: AbortController; readonly signal: AbortSignal };

it("a running call counts until its end, is cancelled by the newest of its name, and lets go of its signals, in any order [async.interleavings]", async () => {
  await checkInterleavings(
    (held) => {
      const calls = new RunningCalls();
      const open = new Set<Call>();
      const clients: AbortController[] = [];
      /** The call that the id stands for. */
      let named: Call | undefined;
      const call = async (name: string | undefined, isDeaf: boolean): Promise<void> => {
        const client = new AbortController();
        clients.push(client);
        const { signal, end } = calls.begin(name, [client.signal, undefined]);
        const own = { name, client, signal };
        open.add(own);
        if (name !== undefined) named = own;
        try {
          await held.hold("the run", () => undefined, isDeaf ? {} : { signal });
        } finally {
          open.delete(own);
          end();
        }
      };
      return {
        operations: {
          "a call of id 1": async () => await call("1", false),
          "another call of id 1": async () => await call("1", true),
          "a call without an id": async () => await call(undefined, true),
          "a cancel of id 1": () => {
            const others = [...open].filter((each) => each !== named && !each.signal.aborted);
            calls.cancel("1");
            const isCancelled = named === undefined || !open.has(named) || named.signal.aborted;
            held.check(isCancelled, "the call of the id goes on after its cancel");
            held.check(!others.some(({ signal }) => signal.aborted), "a cancel ends a call that was not meant");
          },
          "a client leaves": () => {
            const [first] = open;
            first?.client.abort();
            held.check(first?.signal.aborted !== false, "a call goes on whose client left");
          },
          "a wait for all calls": async () => {
            const before = [...open];
            await calls.untilIdle();
            held.check(!before.some((each) => open.has(each)), "a call runs after the wait for it");
          },
        },
        always: () => expect(calls.size).toBe(open.size),
        end: () => {
          for (const client of clients) client.abort();
        },
        afterwards: () => {
          expect(calls.size).toBe(0);
          expect(clients.flatMap(({ signal }) => getEventListeners(signal, "abort"))).toEqual([]);
        },
      };
    },
    { seed: 38_101 },
  );
});
