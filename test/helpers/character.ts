import fc from 'fast-check'

/**
 * Any character, for `fc.string({ unit: character })`. The library's own unit for them, `binary`, builds a table of all
 * of them when it is first used, which takes a second of CPU in each process.
 */
export const character = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10_ffff }),
  )
  .map(code => String.fromCodePoint(code))
