import { paymentTypes } from '../contract/codes.ts'
import type { Order } from '../contract/order.ts'
import { type Channel, isGiftCard, isPlatform } from './channels.ts'
import type { Place } from './places.ts'
import { type Random, weighted } from './random.ts'
import { reference } from './reference.ts'

type Payment = Order['payments'][number]
type PaymentType = keyof typeof paymentTypes

export interface Paid {
  payments: Payment[]
  /** The cash rounding of the order's total. */
  rounding: number
}

/** A deposit now and the rest on collection. */
export function payDeposit(random: Random, due: number): Paid {
  const deposit = Math.max(1, Math.round(due / 4))
  return {
    payments: [payment(random, 6, 6, deposit), ...rest(due - deposit, left => card(random, left))],
    rounding: 0,
  }
}

export function pay(random: Random, due: number, channel: Channel, place: Place): Paid {
  if (due === 0) return { payments: [], rounding: 0 }
  if (isPlatform(channel)) return exact([payment(random, 6, deliveryPlatform(random, channel), due)])
  if (channel.source === 11) return exact([payment(random, 6, 6, due)])
  if (channel.source >= 40 || channel.source === 4) {
    const credit = !isGiftCard(channel) && random.chance(0.05)
    return exact(credit ? withCredit(random, due, onlineCard) : [onlineCard(random, due)])
  }
  return payInStore(random, due, place)
}

const inStore = weighted<'cash' | 'card' | 'credit' | 'shared' | 'part cash'>([
  ['card', 68],
  ['cash', 20],
  ['credit', 7],
  ['shared', 3],
  ['part cash', 2],
])

function payInStore(random: Random, due: number, place: Place): Paid {
  switch (inStore(random)) {
    case 'card':
      return exact([card(random, due, surchargeOf(place))])
    case 'cash': {
      const cash = Math.round(due / place.cash_step) * place.cash_step
      // Two cents would round to zero, which is no payment.
      if (cash === 0) return exact([card(random, due)])
      return { payments: [payment(random, 1, 100, cash)], rounding: cash - due }
    }
    case 'credit':
      return exact(withCredit(random, due, card))
    case 'shared': {
      const half = Math.floor(due / 2)
      return exact([card(random, due - half), ...rest(half, left => card(random, left))])
    }
    case 'part cash': {
      // In notes of five, so no rounding.
      const cash = Math.floor(due / 1000) * 500
      return exact([...rest(cash, () => payment(random, 1, 100, cash)), card(random, due - cash)])
    }
  }
}

const exact = (payments: Payment[]): Paid => ({ payments, rounding: 0 })

const rest = (left: number, paid: (left: number) => Payment): Payment[] => (left > 0 ? [paid(left)] : [])

const creditType = weighted<PaymentType>([
  [8, 3],
  [20, 2],
  [22, 2],
  [23, 2],
  [26, 4],
])

/** Member account, points, voucher or gift card; the rest is paid by card. */
function withCredit(
  random: Random,
  due: number,
  remainder: (random: Random, amount: number) => Payment,
): Payment[] {
  const type = creditType(random)
  const covered = type === 8 ? due : Math.min(due, random.pick([300, 500, 1000, 2500]))
  return [payment(random, type, 0, covered), ...rest(due - covered, left => remainder(random, left))]
}

const cardType = weighted<PaymentType>([
  [2, 5],
  [3, 6],
])

const terminals = weighted([
  [101, 10],
  [1, 2],
  [2, 2],
  [3, 1],
  [4, 1],
  [7, 1],
  [9, 1],
])

const gateways = weighted([
  [102, 10],
  [1, 1],
  [4, 1],
  [7, 1],
  [9, 1],
])

/** Australian shops charge the credit card fee to the customer. */
const surchargeOf = (place: Place): number => (place.timezone.startsWith('Australia/') ? 0.012 : 0)

function card(random: Random, amount: number, surcharge = 0): Payment {
  const type = cardType(random)
  const fee = type === 3 ? Math.round(amount * surcharge) : 0
  return payment(random, type, terminals(random), amount, fee)
}

const onlineCard = (random: Random, amount: number): Payment =>
  payment(random, cardType(random), gateways(random), amount)

/** Each of the three delivery sources has every third of the platform codes 41 to 49. */
const deliveryPlatform = (random: Random, { source }: Channel): number =>
  41 + (source - 53) + 3 * random.between(0, 2)

const payment = (
  random: Random,
  type: PaymentType,
  platform: number,
  amount: number,
  surcharge = 0,
): Payment => ({
  type,
  platform,
  amount,
  surcharge,
  name: paymentTypes[type],
  reference: type === 1 ? null : reference(random, 'T'),
})
