import { inspect } from "node:util";
import { expect, it } from "vitest";
import { joinNodes } from "./serve-sockets.ts";

it.each([
  "redis://ada:secret@local host:6379",
  "redis://ada:secret@localhost:99999",
  "redis://ada:secret@localhost/first",
  "redis://ada:secret%@localhost",
])("joinNodes names REDIS_URL for %j, which Redis's client cannot read, and does not show it", async (url) => {
  const error = await joinNodes({ url, shown: "redis://localhost" }).catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({
    code: "invalid_config",
    message: expect.stringMatching(/^REDIS_URL cannot be read/) as string,
  });
  expect(inspect(error)).not.toContain("secret@");
  expect(inspect(error)).not.toContain("secret%");
});
