import { describe, expect, it } from "vitest";
import { relink } from "./relink.ts";

const repository = "https://host.example/troupe";

describe("the links of a page", () => {
  const paths = new Map([
    ["docs/guide/README.md", "guide/index.md"],
    ["docs/guide/tools.md", "guide/tools.md"],
    ["docs/errors.md", "errors.md"],
  ]);
  const from = { source: "docs/guide/tools.md", path: "guide/tools.md" };

  it.each([
    ["[a](tools.md#effects)", "[a](./tools.md#effects)"],
    ["[a](README.md)", "[a](./index.md)"],
    ["[a](../errors.md), [b](../errors.md#über)", "[a](../errors.md), [b](../errors.md#über)"],
    ["[a](../../packages/core)", `[a](${repository}/blob/main/packages/core)`],
    ["[a](../../compose.yaml#L3)", `[a](${repository}/blob/main/compose.yaml#L3)`],
    [
      "[a](https://a.example/b.md) [b](#part) [c](mailto:a@b.example)",
      "[a](https://a.example/b.md) [b](#part) [c](mailto:a@b.example)",
    ],
  ])("%s lead to the pages that are shown, or to the repository for all other files", (text, expected) => {
    expect(relink(text, from, { paths, repository })).toBe(expected);
  });
});
