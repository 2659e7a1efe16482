// For the tests of customers.

export const address = {
  name: null,
  line1: 'Ammerländer Heerstraße 114',
  line2: null,
  city: 'Oldenburg',
  region: 'Niedersachsen',
  postalCode: '26129',
  country: 'DE',
};

export const whole = { name: 'Grace Hopper', email: 'grace@example.com', phone: '+4944112345678', address };
