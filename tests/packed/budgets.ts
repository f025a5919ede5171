/**
 * Limits on the weight of the installed packages. A change that needs more raises the number here, in the same commit, to
 * the measured value plus a tenth (a time: plus a quarter), and says in its message what users get for the weight.
 */
export const budgets = {
  core: {
    /** Size of the tarball in bytes, with the pages for users. */
    packedBytes: 860_000,
    /** Size on disk in bytes, without the pages for users. */
    unpackedBytes: 2_476_000,
    /** Size on disk of the pages for users in bytes. */
    pagesBytes: 640_000,
    /** Number of third-party libraries. */
    dependencies: 1,
    /** Import time of an entry point, as a multiple of that of 8,000 plain functions. */
    importRatios: {
      "@troupe/core": 1.4,
      "@troupe/core/runs": 1.45,
      "@troupe/core/kit": 0.42,
      "@troupe/core/provider": 0.62,
      "@troupe/core/storage": 0.25,
      "@troupe/core/vector": 0.25,
      "@troupe/core/service": 1.85,
      "@troupe/core/transport": 1.25,
      "@troupe/core/testing": 1.9,
    } as Record<string, number>,
    /** Type instantiations that core's types add to a program: work of the compiler, and of the editor at each keystroke. */
    instantiations: 150,
  },
  /** Packages in node_modules when all published packages are installed, these included. */
  installedPackages: 256,
  /** A server with one provider: core, http, providers-openai and Express. Agreed with users, not measured. */
  minimalServer: { packages: 74, bytes: 12_000_000 },
  /** Bytes with gzip of one agent with one provider, bundled for a runtime whose `fetch` calls models. Agreed, not measured. */
  bundledAgent: 110_000,
  /**
   * Libraries with an install script: of the library with which BullMQ encodes what it sends to Redis, a part that makes it
   * faster and that it does without where scripts are not run.
   */
  installScripts: ["msgpackr-extract"],
};
