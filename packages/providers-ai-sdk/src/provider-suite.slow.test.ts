import { providerSuite } from "@troupe-internal/vendor-fakes";
import { describe, it } from "vitest";
import { subjects } from "../test/subjects.ts";

describe.each(Object.entries(subjects))("fromAiSdk over @ai-sdk/%s", (_, subject) => {
  providerSuite(it, subject);
});
