import { describe, it } from "vitest";
import { checkConformance } from "./check-conformance.ts";
import { toolSourceCases } from "./tool-source-cases.ts";
import { checkWrongSubjects } from "./wrong/check-wrong-subjects.ts";
import { sourceBut } from "./wrong/small-tool-source.ts";
import { wrongToolSources } from "./wrong/wrong-tool-sources.ts";

describe("a small ToolSource", () => {
  checkConformance(it, toolSourceCases, { create: () => sourceBut() });
});

describe("the suite of tool sources", () => {
  checkWrongSubjects(it, toolSourceCases, wrongToolSources);
});
