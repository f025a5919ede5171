export { FakeService } from "./fake-service.ts";
export type { Answer, FakeReply, FakeRequest } from "./fake-service.ts";
export { recordingNames, recordings } from "./recordings.ts";
export { toolkitSuite } from "./toolkit-suite.ts";
export type { ConnectOptions, ToolkitSubject, ToolSample } from "./toolkit-subject.ts";
export { allTextOf, contextWith, toolOf } from "./toolkit-trial.ts";
export type { UglyAnswer } from "./ugly-answers.ts";
