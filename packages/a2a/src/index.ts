export type { A2ATaskState } from "./wire/task.ts";
