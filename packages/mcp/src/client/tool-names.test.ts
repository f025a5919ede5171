import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { nameTools } from "./tool-names.ts";

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 8);
const ofLength = (length: number) => "x".repeat(length - "box__".length);

describe("the names of a server's tools", () => {
  it.each<[string, string, string[], string[]]>([
    ["begin with the server's name", "box", ["echo", "a_b", "A-9"], ["box__echo", "box__a_b", "box__A-9"]],
    ["are none for none", "box", [], []],
    [
      "have _ for each other character",
      "my box",
      ["a.b", "Grüße", "😀", "a b"],
      ["my_box__a_b", "my_box__Gr__e", "my_box____", `my_box__a_b_${hashOf("my box__a b")}`],
    ],
    ["begin with a letter or _", "7box", ["a"], ["_7box__a"]],
    ["begin with _ where they began with -", "-box", ["a"], ["_-box__a"]],
    ["keep a _ at the begin", "_box", ["a"], ["_box__a"]],
    ["are whole up to 64 characters", "box", [ofLength(64)], [`box__${ofLength(64)}`]],
    ["are whole up to 64 characters where one is changed", "box", [`${ofLength(63)}.`], [`box__${ofLength(63)}_`]],
    ["are cut and marked beyond 64", "box", [ofLength(65)], [`box__${ofLength(55)}_${hashOf(`box__${ofLength(65)}`)}`]],
    [
      "are the tool's own for the one that needed no change",
      "box",
      ["a.b", "a_b", "a b"],
      [`box__a_b_${hashOf("box__a.b")}`, "box__a_b", `box__a_b_${hashOf("box__a b")}`],
    ],
    [
      "are the first one's where all were changed",
      "box",
      ["a.b", "a b"],
      ["box__a_b", `box__a_b_${hashOf("box__a b")}`],
    ],
    [
      "are taken by one that looks like a hash",
      "box",
      ["a_b", "a.b", `a_b_${hashOf("box__a.b")}`],
      ["box__a_b", `box__a_b_${hashOf("box__a.b\n2")}`, `box__a_b_${hashOf("box__a.b")}`],
    ],
    [
      "may need a third try",
      "box",
      ["a_b", "a.b", `a_b_${hashOf("box__a.b")}`, `a_b_${hashOf("box__a.b\n2")}`],
      [
        "box__a_b",
        `box__a_b_${hashOf("box__a.b\n3")}`,
        `box__a_b_${hashOf("box__a.b")}`,
        `box__a_b_${hashOf("box__a.b\n2")}`,
      ],
    ],
  ])("%s", (...[, server, tools, names]) => {
    expect(nameTools(server, tools)).toStrictEqual(names);
    expect(nameTools(server, tools)).toStrictEqual(names);
  });

  it("are unique and no longer than 64 characters for names that are alike for long", () => {
    const names = nameTools(
      "box",
      [1, 2, 3].map((n) => `${"é".repeat(100)}${n}`),
    );
    expect(new Set(names).size).toBe(3);
    expect(names).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^box_{53}[0-9a-f]{8}$/)));
  });
});
