import { keepAnswer } from './log-check.ts'

/** What a server answered, read to its end. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The parsed body; throws when it is not JSON. */
  // biome-ignore lint: tests look into answers of many shapes
  json: any
}

/** Of every account that a test makes. */
export const password = 'correct horse battery'
/** Of this password, at the lowest cost: a real hash takes 30 ms to make, and again for each sign-in. */
export const password_hash =
  '$argon2id$v=19$m=8,t=1,p=1$moc7tbEKfVQKtE+eNsdImA$/hv+YtB4SsQxIUOTVtQsdeLybk6bcvQcgTW6fcNsjeg'

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  keepAnswer(response.headers, text)
  return {
    status: response.status,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text)
    },
  }
}
