import { TroupeError } from "@troupe/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ListedTool } from "./list-tools.ts";
import { ToolMaker } from "./make-tools.ts";
import { readMcpOptions } from "./mcp-options.ts";
import { ToolList } from "./tool-list.ts";

afterEach(() => void vi.useRealTimers());

const toolNamed = (name: string): ListedTool => ({
  name,
  description: "",
  inputSchema: { type: "object" },
  isReadOnly: false,
  isIdempotent: false,
});
const refusal = new TroupeError("unavailable", "Too many.", { fields: { bound: "maxTools" } });
const failure = new TroupeError("unavailable", "It is away.");

type Listing = { give: (...names: string[]) => void; fail: (error: Error) => void };

/** A list whose listings end by hand, in the order in which they were asked for. */
function startList() {
  const settings = readMcpOptions({ name: "box", transport: "http", url: "https://a.example" });
  const listings: Listing[] = [];
  const list = new ToolList(new ToolMaker(settings, async () => await Promise.resolve("done")), async () => {
    return await new Promise<ListedTool[]>((resolve, reject) => {
      listings.push({ give: (...names) => resolve(names.map(toolNamed)), fail: reject });
    });
  });
  const read = async () => (await list.read()).map(({ name }) => name);
  const known = () => list.known.map(({ name }) => name);
  return { list, listings, read, known };
}

describe("the list of a server's tools", () => {
  it("is empty until it is read, and is read once for all that wait", async () => {
    const { list, listings, read, known } = startList();
    expect([known(), list.find("a"), listings.length]).toEqual([[], undefined, 0]);
    const reads = [read(), read()];
    listings[0]?.give("a", "b");
    expect(await Promise.all([...reads, read()])).toEqual(Array.from({ length: 3 }, () => ["box__a", "box__b"]));
    expect(known()).toEqual(["box__a", "box__b"]);
    expect(list.find("b")).toEqual(toolNamed("b"));
    expect([list.find("box__b"), list.find("B")]).toEqual([undefined, undefined]);
    expect(listings).toHaveLength(1);
  });

  it("is read again once it is forgotten, and known as it was until then", async () => {
    const { list, listings, read, known } = startList();
    const first = read();
    listings[0]?.give("a");
    await first;
    list.forget();
    expect([known(), list.find("a")?.name, listings.length]).toEqual([["box__a"], "a", 1]);
    const second = read();
    expect(known()).toEqual(["box__a"]);
    listings[1]?.give("b");
    expect(await second).toEqual(["box__b"]);
    expect([known(), list.find("a"), list.find("b")?.name]).toEqual([["box__b"], undefined, "b"]);
  });

  it("is the newest one where an earlier answer comes last, for all that asked", async () => {
    const { list, listings, read, known } = startList();
    const first = read();
    list.forget();
    const second = read();
    listings[1]?.give("new");
    expect(await second).toEqual(["box__new"]);
    listings[0]?.give("old");
    expect(await first).toEqual(["box__new"]);
    expect([known(), list.find("old")]).toEqual([["box__new"], undefined]);
    expect([await read(), listings.length]).toEqual([["box__new"], 2]);
  });

  it("is a copy, so that what its reader does to it changes nothing", async () => {
    const { list, listings } = startList();
    const reading = list.read();
    listings[0]?.give("a");
    (await reading).pop();
    expect(list.known).toHaveLength(1);
  });

  it("lets other work go first before its tools are made", async () => {
    const { listings, read, known } = startList();
    const reading = read();
    listings[0]?.give("a");
    const seen: string[][] = [];
    setImmediate(() => seen.push(known()));
    await reading;
    expect(seen).toEqual([[]]);
  });
});

describe("a list of tools that fails", () => {
  it("fails for all that wait, and is asked for again by the next", async () => {
    const { listings, read, known } = startList();
    const reads = [read(), read()];
    listings[0]?.fail(failure);
    for (const each of reads) await expect(each).rejects.toBe(failure);
    const again = read();
    expect(listings).toHaveLength(2);
    listings[1]?.give("a");
    expect(await again).toEqual(["box__a"]);
    expect(known()).toEqual(["box__a"]);
  });

  it.each([failure, refusal])(
    "a list of tools that fails after it was forgotten leaves the newer one alone: %s",
    async (error) => {
      const { list, listings, read } = startList();
      const first = read();
      list.forget();
      const second = read();
      listings[0]?.fail(error);
      await expect(first).rejects.toBe(error);
      listings[1]?.give("new");
      expect(await second).toEqual(["box__new"]);
      const third = read();
      expect(listings).toHaveLength(2);
      expect(await third).toEqual(["box__new"]);
    },
  );

  it("a list of tools that fails by a bound fails for 30 seconds without being asked for, also when it is forgotten", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    vi.advanceTimersByTime(5000);
    const { list, listings, read } = startList();
    for (let round = 1; round <= 2; round++) {
      const first = read();
      expect(listings).toHaveLength(round);
      listings[round - 1]?.fail(refusal);
      await expect(first).rejects.toBe(refusal);
      list.forget();
      list.forget({});
      vi.advanceTimersByTime(29_999);
      const again = read();
      expect(listings).toHaveLength(round);
      await expect(again).rejects.toBe(refusal);
      vi.advanceTimersByTime(1);
    }
    const last = read();
    listings[2]?.give("a");
    expect(await last).toEqual(["box__a"]);
  });

  it("a list of tools that fails by a bound is asked for at once where it is wanted anew", async () => {
    const { list, listings, read } = startList();
    const first = read();
    listings[0]?.fail(refusal);
    await expect(first).rejects.toBe(refusal);
    list.forget({ isWanted: false });
    const refused = read();
    expect(listings).toHaveLength(1);
    await expect(refused).rejects.toBe(refusal);
    list.forget({ isWanted: true });
    const again = read();
    listings[1]?.give("a");
    expect(await again).toEqual(["box__a"]);
  });

  it("a list of tools that fails by something else is asked for at once, and its tools are known as before", async () => {
    const { list, listings, read, known } = startList();
    const first = read();
    listings[0]?.give("a");
    await first;
    list.forget();
    const second = read();
    listings[1]?.fail(failure);
    await expect(second).rejects.toBe(failure);
    expect([known(), list.find("a")?.name]).toEqual([["box__a"], "a"]);
    const third = read();
    expect(listings).toHaveLength(3);
    listings[2]?.give();
    expect([await third, known()]).toEqual([[], []]);
  });
});
