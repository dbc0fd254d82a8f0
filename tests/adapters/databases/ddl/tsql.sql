USE [Shop]
GO
/****** Object:  Table [dbo].[Order Details]    Script Date: 1/1/2020 ******/
SET ANSI_NULLS ON
GO
CREATE TABLE [dbo].[Order Details](
	[OrderID] [int] IDENTITY(1,1) NOT FOR REPLICATION NOT NULL,
	[Name] [nvarchar](50) COLLATE Latin1 NOT NULL,
	[Doc] [nvarchar](max) NULL,
	[Amount] [decimal](10, 2) NOT NULL CONSTRAINT [DF_a] DEFAULT ((0)),
	[Total] AS ([Amount]*(2)) PERSISTED,
 CONSTRAINT [PK_od] PRIMARY KEY CLUSTERED 
(
	[OrderID] ASC
)WITH (PAD_INDEX = OFF, STATISTICS_NORECOMPUTE = OFF) ON [PRIMARY],
 CONSTRAINT [UQ] UNIQUE NONCLUSTERED ([Name] ASC)
) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]
GO
CREATE TABLE dbo.Cust (id uniqueidentifier primary key, od int)
CREATE TABLE dbo.Other (id int)
ALTER TABLE dbo.Other ADD x int, y varchar(10) NOT NULL
GO
ALTER TABLE [dbo].[Cust]  WITH NOCHECK ADD  CONSTRAINT [FK_c] FOREIGN KEY([od])
REFERENCES [dbo].[Order Details] ([OrderID])
ON DELETE CASCADE
GO
ALTER TABLE [dbo].[Cust] CHECK CONSTRAINT [FK_c]
GO
ALTER TABLE [dbo].[Cust] ADD  CONSTRAINT [DF_od]  DEFAULT ((7)) FOR [od]
GO
CREATE PROCEDURE dbo.P @d INT AS BEGIN
 CREATE TABLE notreal (id int);
 SELECT 1;
END
GO
CREATE VIEW [dbo].[Summary] AS SELECT o.OrderID, COUNT(*) AS n FROM [dbo].[Order Details] o GROUP BY o.OrderID
GO
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'The order''s lines' , @level0type=N'SCHEMA',@level0name=N'dbo', @level1type=N'TABLE',@level1name=N'Order Details'
GO
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'Sum' , @level0type=N'SCHEMA',@level0name=N'dbo', @level1type=N'TABLE',@level1name=N'Order Details', @level2type=N'COLUMN',@level2name=N'Amount'
GO
