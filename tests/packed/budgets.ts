/**
 * How heavy the packages may be for whoever installs them. A change that needs more raises the number here, in the same
 * commit as what needs it, to what it measures plus a tenth (a time: plus a quarter), and says in its message what users get
 * for the weight.
 */
export const budgets = {
  core: {
    /** Bytes of the tarball, which is what is downloaded. */
    packedBytes: 263_000,
    /** Bytes on disk. */
    unpackedBytes: 948_000,
    /** Libraries of others that come along. */
    dependencies: 1,
    /** How many times as long as an empty module a door may take to be imported: sixty-five times are about 20 ms. */
    importRatios: { "@troupe/core": 83, "@troupe/core/adapter": 58, "@troupe/core/testing": 38 } as Record<
      string,
      number
    >,
    /** Type instantiations that a program pays for core's types: work of the compiler, and of the editor at each key. */
    instantiations: 150,
  },
  /** Packages in node_modules when every package of ours is installed, ours included. */
  installedPackages: 176,
  /**
   * Libraries that npm would run a script of. Google's brings protobufjs, whose script compares version numbers and writes a
   * note; everything works without it.
   */
  installScripts: ["protobufjs"],
};
