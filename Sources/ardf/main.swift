print("ardf")
