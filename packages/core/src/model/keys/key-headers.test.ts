import { expect, it } from "vitest";
import { keyHeaders } from "./key-headers.ts";

it("names the four headers that carry keys", () => {
  expect(keyHeaders).toEqual(["x-openai-api-key", "x-anthropic-api-key", "x-google-api-key", "x-api-key"]);
});
