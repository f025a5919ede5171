export { OfflineModel } from "./offline-model.ts";
