/** Text to compare by: without case, accents and the difference of full-width forms ("Café" is found by "cafe"). */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .normalize('NFC')
