export { OfflineEmbeddings } from "./offline-embeddings.ts";
export { OfflineModel } from "./offline-model.ts";
