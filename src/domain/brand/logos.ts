import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/hash.ts'
import { readImage } from '../../lib/image.ts'
import { type Logo, platformOwner, type Storage } from '../../storage/port/index.ts'
import { auditEntry, type By } from '../audit/audit.ts'
import { InputError } from '../input-error.ts'

/** Bytes. Pages show a logo at 64 px at most, so even a detailed one is smaller. */
export const largestLogo = 100 * 1024
/** Pixels of each side: a browser needs memory for the pixels, however well the file is compressed. */
export const longestSide = 1024

/** What an upload must be, for the hint of a form and for messages. */
export const logoRule = `a PNG, JPEG or WebP image of at most ${largestLogo / 1024} KiB and ${longestSide} × ${longestSide} pixels, not animated`

/** The images of apps and of the platform. */
export function createLogos({ storage, clock }: { storage: Pick<Storage, 'logos'>; clock: Clock }) {
  const set = (owner_id: string, logo: Logo | null, by: By): Promise<boolean> => {
    const detail = logo ? 'logo' : 'logo removed'
    const entry =
      owner_id === platformOwner
        ? auditEntry(clock, by, 'brand_changed', { detail })
        : auditEntry(clock, by, 'app_changed', { app_id: owner_id, detail })
    return storage.logos.set(owner_id, logo, entry)
  }
  return {
    find: (owner_id: string): Promise<Logo | null> => storage.logos.find(owner_id),
    /** `owner_id`: an app's id, or `platformOwner`. False when it has this logo already. */
    upload: (owner_id: string, content: Buffer, by: By): Promise<boolean> =>
      set(owner_id, checkLogo(content), by),
    /** False when there is none. */
    remove: (owner_id: string, by: By): Promise<boolean> => set(owner_id, null, by),
  }
}

export type Logos = ReturnType<typeof createLogos>

/** Decides by the bytes alone: the name and the type that a browser sends say what the sender likes. */
export function checkLogo(content: Buffer): Logo {
  if (content.length === 0) throw new InputError('logo', 'pick a file')
  if (content.length > largestLogo) {
    throw new InputError('logo', `the file has ${content.length} bytes; a logo is ${logoRule}`)
  }
  const image = readImage(content)
  if (!image) throw new InputError('logo', `the file is not ${logoRule}`)
  const { type, width, height } = image
  if (Math.min(width, height) < 1 || Math.max(width, height) > longestSide) {
    throw new InputError('logo', `the image has ${width} × ${height} pixels; a logo is ${logoRule}`)
  }
  return { type, version: sha256(content).slice(0, 16), content }
}
