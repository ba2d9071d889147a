result = values[7];
