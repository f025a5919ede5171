import { expect, it } from "vitest";
import type { VendorOptions } from "./model-config.ts";

it("vendor options, which all calls of an agent share, cannot be written to", () => {
  const own: VendorOptions[string] = { tier: "flex" };
  const options: VendorOptions = { openai: own };
  const write = (): void => {
    // @ts-expect-error -- the options of all vendors are read only
    options["openai"] = {};
    // @ts-expect-error -- and so are those of each
    own["tier"] = "fast";
  };

  expect(write).not.toThrow();
});
