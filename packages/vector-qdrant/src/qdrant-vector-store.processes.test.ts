import { TestChild } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { QdrantDouble } from "../test/qdrant-double.ts";
import { QdrantVectorStore } from "./qdrant-vector-store.ts";

type Message = { model: string; stored?: string; refused?: string };

describe("QdrantVectorStore in four processes that begin at once, on QdrantDouble", () => {
  it("makes one collection and remembers one model [qdrant.created-once]", async () => {
    const { double, messages } = await beginAtOnce([2, 2, 2, 2]);

    expect(new Set(messages.map(({ model }) => model)).size).toBe(1);
    expect(new Set(messages.map(({ stored }) => stored))).toEqual(new Set(["p0", "p1", "p2", "p3"]));
    const store = new QdrantVectorStore({ url: double.url });
    expect(await store.search([1, 0])).toHaveLength(4);
    expect([...double.collections.values()].map(({ indexes }) => indexes.has("terms"))).toEqual([false, true]);
    await store.close();
  });

  it("lets one length of vectors win, and refuses the other [qdrant.dimensions]", async () => {
    const { double, messages } = await beginAtOnce([2, 3, 2, 3]);
    const store = new QdrantVectorStore({ url: double.url });
    const found = await store.search([1, 0]).catch(async () => await store.search([1, 0, 0]));

    expect(messages.flatMap(({ refused }) => refused ?? [])).toEqual(["invalid_value", "invalid_value"]);
    expect([
      ["p0", "p2"],
      ["p1", "p3"],
    ]).toContainEqual(found.map(({ document }) => document.id));
    await store.close();
  });
});

/** Lets a process for each length store a document with a vector of this length, all at the same time. */
async function beginAtOnce(lengths: readonly number[]): Promise<{ double: QdrantDouble; messages: Message[] }> {
  const double = await QdrantDouble.start();
  const program = new URL("../test/starting-child.ts", import.meta.url);
  const children = await Promise.all(
    lengths.map(
      async (length, index) => await TestChild.start(program, { args: [double.url, `p${index}`, String(length)] }),
    ),
  );
  onTestFinished(async () => {
    await Promise.all(children.map(async (child) => await child.close()));
    await double.close();
  });
  await Promise.all(children.map(async (child) => await child.next((said): said is "ready" => said === "ready")));
  for (const child of children) child.send({ begin: true });
  const exits = await Promise.all(children.map(async (child) => await child.exit));

  const output = children.map((child) => child.output.toString()).join("");
  expect(exits, output).toEqual(exits.map(() => ({ code: 0, signal: null })));
  return {
    double,
    messages: children.flatMap(({ messages }) => messages.filter((said) => said !== "ready") as Message[]),
  };
}
