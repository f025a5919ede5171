import { createService } from "@troupe/core/service";
import { describe, expect, it } from "vitest";
import { talker } from "../../test/runnables.ts";
import { OperationIds } from "./builders.ts";
import { chatPaths } from "./chat-paths.ts";

describe("operation ids", () => {
  it.each([1, 2, 3, 4, 12, 101])("are unique and counted over %d operations of one name", (count) => {
    const ids = new OperationIds();
    const given = Array.from({ length: count }, () => ids.next("chat_agent", "a"));
    const counted = Array.from({ length: count - 1 }, (_, index) => `chat_agent_a_${index + 2}`);

    expect(given).toEqual(["chat_agent_a", ...counted]);
  });

  it("are unique names for every order of names that are alike, also like counted ones", () => {
    const names = ["a-b", "a_b", "a.b", "ä b", "a_b_2", "a-b-2", "a_b_2_2", "a_b", "雨", "é", "", "_"];
    for (let start = 0; start < names.length; start += 1) {
      const turned = [...names.slice(start), ...names.slice(0, start)];
      for (const order of [turned, turned.toReversed()]) {
        const ids = new OperationIds();
        const given = [...order, ...order, ...order].map((name) => ids.next("chat_agent", name));

        expect(new Set(given).size).toBe(given.length);
        for (const id of given) expect(id).toMatch(/^[A-Za-z]\w*$/);
      }
    }
  });

  it("are unique in the paths of a service whose names differ only in other characters", () => {
    const names = ["a-b", "a_b", "a.b", "a b", "aéb", "a_b_2", "a_b_3"];
    const runnables = Object.fromEntries(names.map((name) => [name, talker()]));
    const paths = Object.values(chatPaths(createService({ agents: runnables })));
    const ids = paths.flatMap((path) =>
      Object.values(path).map(({ operationId }: { operationId: string }) => operationId),
    );

    expect(ids).toHaveLength(3 * names.length);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
